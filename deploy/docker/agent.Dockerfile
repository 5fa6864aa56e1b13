# Runs the host agent from its Debian package, as an unprivileged user. Build the image from the folder of the packages:
#   ./scripts/package phonerack-agent
#   docker build -f deploy/docker/agent.Dockerfile -t phonerack-agent dist/packages
#
# Run on a machine with phones, whose udev rule (deploy/udev) gives them to a group, here 990:
#   docker run --read-only --tmpfs /tmp --network host --group-add 990 --device-cgroup-rule 'c 189:* rw' \
#     -v /dev/bus/usb:/dev/bus/usb -v phonerack-agent:/var/lib/phonerack-agent \
#     -v /etc/phonerack/agent.yaml:/etc/phonerack/agent.yaml:ro phonerack-agent
FROM node:20-bookworm-slim AS unpacked
COPY phonerack-agent_*.deb /package.deb
# The package is unpacked instead of installed, since Node.js in the image is not a Debian package.
RUN dpkg-deb -x /package.deb /unpacked

FROM node:20-bookworm-slim
# adb comes from the backports: adb 29.0.6 of Debian 12 can abort when a phone disconnects, and cannot run a server for each phone on USB.
RUN echo 'deb http://deb.debian.org/debian bookworm-backports main' > /etc/apt/sources.list.d/backports.list \
  && apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates ffmpeg \
  && apt-get install -y --no-install-recommends -t bookworm-backports adb \
  && rm -rf /var/lib/apt/lists/*
COPY --from=unpacked /unpacked/usr/lib/phonerack-agent /usr/lib/phonerack-agent
COPY --from=unpacked /unpacked/usr/share/doc/phonerack-agent /usr/share/doc/phonerack-agent
COPY --from=unpacked /unpacked/usr/bin/phonerack-agent /usr/bin/phonerack-agent
RUN groupadd --gid 10001 phonerack \
  && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /var/lib/phonerack-agent --shell /usr/sbin/nologin phonerack \
  && install -d -m 0700 -o 10001 -g 10001 /var/lib/phonerack-agent
USER 10001:10001
WORKDIR /var/lib/phonerack-agent
VOLUME /var/lib/phonerack-agent
EXPOSE 7710
STOPSIGNAL SIGTERM
# `health` checks whether the agent accepts calls and one of its adb servers answers. It reads /etc/phonerack/agent.yaml
# and the variables of the container, so pass variables instead of a configuration file at another path.
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s --retries=3 \
  CMD ["/usr/bin/phonerack-agent", "health"]
ENTRYPOINT ["/usr/bin/phonerack-agent"]
CMD ["run"]
