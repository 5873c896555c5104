# SPDX-License-Identifier: GPL-2.0
"""The parts of the tier, by name."""
import aws
import cached
import faults
import flight
import forks
import hostile
import mounts
import oci
import options
import pieces
import published
import redirects
import s3
import secrets_kept
import tools

ALL = {"nginx": tools.part, "fuse": mounts.part, "faults": faults.part,
       "flight": flight.part,
       "redirects": redirects.part, "secrets": secrets_kept.part, "forks": forks.part,
       "s3": s3.part, "aws": aws.part, "hostile": hostile.part, "options": options.part, "cache": cached.part,
       "pieces": pieces.part,
       "publishing": published.part, "oci": oci.part}
