/** Pings on an idle connection between control plane and host, in the words of gRPC. Used at both ends. */
export const keepalive = {
  'grpc.keepalive_time_ms': 10_000,
  // Longer than a machine stands still now and then: the answer to a ping may be there, and only be unread.
  'grpc.keepalive_timeout_ms': 15_000,
} as const
