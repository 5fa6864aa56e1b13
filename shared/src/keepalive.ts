/** gRPC keepalive pings on an idle connection between control plane and host. Used at both ends. */
export const keepalive = {
  'grpc.keepalive_time_ms': 10_000,
  // Longer than the usual pause of a machine, because the answer to a ping may wait unread during a pause.
  'grpc.keepalive_timeout_ms': 15_000,
} as const
