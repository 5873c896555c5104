# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# A web server of the tests: nginx on a free port of the loopback, with a log of a line a
# request: method, address, range, status, bytes, number of the connection.
#
# A client asks for /phase/NAME to say what begins; phase_of NAME prints the lines from
# there to the next.  To be sourced; DIR/web is what is served.

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
	cat <<-EOF
	daemon on;
	user root;
	worker_processes 1;
	pid $web_dir/nginx.pid;
	error_log $web_dir/error.log;
	events { worker_connections 512; }
	http {
		log_format requests '\$request_method \$uri \$http_range \$status \$body_bytes_sent \$connection';
		access_log $web_log requests;
		client_body_temp_path $web_dir/tmp;
		proxy_temp_path $web_dir/tmp;
		fastcgi_temp_path $web_dir/tmp;
		uwsgi_temp_path $web_dir/tmp;
		scgi_temp_path $web_dir/tmp;
		keepalive_requests 1000000;
		server {
			listen 127.0.0.1:$web_port;
			root $web_dir/web;
			location /phase/ { return 204; }
		}
	}
	EOF
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
