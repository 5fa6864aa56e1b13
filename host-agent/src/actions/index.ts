/** Running actions on a phone: what the gRPC part calls. */
export type { BatchOutcome, BatchRequest, RunBatch } from './run-batch.js'
