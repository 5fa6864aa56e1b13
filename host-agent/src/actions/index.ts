/** Runs actions on a phone. Used by `grpc/`. */
export { runBatch, type BatchOutcome, type BatchRequest } from './run-batch.js'
