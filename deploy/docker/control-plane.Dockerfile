# Runs the control plane from its Debian package, as an unprivileged user. Build the image from the folder of the packages:
#   ./scripts/package phonerack-control-plane
#   docker build -f deploy/docker/control-plane.Dockerfile -t phonerack-control-plane dist/packages
FROM node:20-bookworm-slim AS unpacked
COPY phonerack-control-plane_*.deb /package.deb
# The package is unpacked instead of installed, since Node.js in the image is not a Debian package.
RUN dpkg-deb -x /package.deb /unpacked

FROM node:20-bookworm-slim
COPY --from=unpacked /unpacked/usr/lib/phonerack-control-plane /usr/lib/phonerack-control-plane
COPY --from=unpacked /unpacked/usr/share/doc/phonerack-control-plane /usr/share/doc/phonerack-control-plane
COPY --from=unpacked /unpacked/usr/bin/phonerack-control-plane /usr/bin/phonerack-control-plane
RUN groupadd --gid 10001 phonerack \
  && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /var/lib/phonerack-control-plane --shell /usr/sbin/nologin phonerack \
  && install -d -m 0700 -o 10001 -g 10001 /var/lib/phonerack-control-plane \
    /etc/phonerack-nats /etc/phonerack-nats/keys /etc/phonerack-nats/replica /etc/phonerack-nats/broker
# The settings come from the environment of the container.
ENV PHONERACK_ENV_FILE= \
  PHONERACK_HTTP_HOST=0.0.0.0 \
  PHONERACK_HTTP_PORT=8080 \
  PHONERACK_PKI_DIR=/var/lib/phonerack-control-plane/pki \
  PHONERACK_STORAGE_DIR=/var/lib/phonerack-control-plane/storage
USER 10001:10001
WORKDIR /var/lib/phonerack-control-plane
# The root file system can be read-only: run with --read-only --tmpfs /tmp.
VOLUME /var/lib/phonerack-control-plane
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "const { PHONERACK_HTTP_CERT_FILE: tls, PHONERACK_HTTP_PORT: port } = process.env; require(tls ? 'https' : 'http').get({ port, path: '/livez', rejectUnauthorized: false }, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]
ENTRYPOINT ["/usr/bin/phonerack-control-plane"]
