// SPDX-License-Identifier: GPL-2.0
//
// kubelet.go - the calls that a kubelet and ceph-csi make for a volume, one a run.
//
// Why: whether an image of DSFS is mounted or taken for an empty disk is up to Kubernetes'
// mount-utils, so that is asked, and not what we think of it.  Both kubelet and CSI drivers use
// it; systemd's scope, which kubelet has around mount(8), comes with it where systemd runs.
// Built by tests/lab/mount-utils.
//
//	kubelet format DEVICE              what is on it, in one line; an empty one: nothing
//	kubelet mount DEVICE DIR OPTIONS   and format it, if it is empty
//	kubelet bind DIR DIR OPTIONS       for a container
//	kubelet unmount DIR
//
// Exit: 0 done, 1 failed, 2 wrong usage.
package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"k8s.io/mount-utils"
	"k8s.io/utils/exec"
)

const fsType = "dsfs"

var errUsage = errors.New("wrong usage")

// call makes the call that the arguments name.
func call(args []string) error {
	mounter := mount.NewSafeFormatAndMount(mount.New(""), exec.New())

	if len(args) < 2 {
		return errUsage
	}
	switch fmt.Sprint(args[0], len(args)) {
	case "format2":
		found, err := mounter.GetDiskFormat(args[1])
		fmt.Println(found)
		return err
	case "mount4":
		return mounter.FormatAndMount(args[1], args[2], fsType, strings.Split(args[3], ","))
	case "bind4":
		return mounter.Mount(args[1], args[2], fsType, strings.Split("bind,"+args[3], ","))
	case "unmount2":
		return mounter.Unmount(args[1])
	}
	return errUsage
}

func main() {
	err := call(os.Args[1:])
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, "kubelet:", err)
	if err == errUsage {
		os.Exit(2)
	}
	os.Exit(1)
}
