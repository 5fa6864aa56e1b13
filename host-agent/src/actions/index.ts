/** Running actions on a phone: what the gRPC part calls. */
export { runBatch, type BatchOutcome, type BatchRequest } from './run-batch.js'
