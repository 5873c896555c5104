# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# The web server of the tests, by tests/http/nginx.conf, on a free port.
#
# A client asks for /phase/NAME to say what begins; phase_of NAME prints the lines from
# there to the next.  To be sourced; DIR/web is what is served.
# The working directory is that of the checkout.

# web_begin DIR: sets web_port and web_log
web_begin()
{
	local tries

	web_dir=$1
	web_log=$web_dir/access.log
	: >"$web_log"
	for tries in 1 2 3 4 5; do
		web_port=$((20000 + RANDOM % 20000))
		web_configure >"$web_dir/nginx.conf"
		if web_start; then
			return
		fi
		echo "# nginx: try $tries: $(tail -n 1 "$web_dir/start.log")"
	done
	return 1
}

web_configure()
{
	sed "s,@work@,$web_dir,; s,@folder@,$web_dir/web,; s,@port@,$web_port," tests/http/nginx.conf
}

web_start()
{
	nginx -c "$web_dir/nginx.conf" -e "$web_dir/error.log" 2>"$web_dir/start.log"
}

web_runs()
{
	[ -e "$web_dir/nginx.pid" ]
}

web_end()
{
	[ ! -e "$web_dir/nginx.pid" ] || kill "$(<"$web_dir/nginx.pid")" 2>/dev/null || true
}

phase_of()
{
	awk -v name="$1" '
		$2 ~ "^/phase/"	{ on = $2 == "/phase/" name; next }
		on' "$web_log"
}
