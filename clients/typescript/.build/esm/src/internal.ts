/** `@phonerack/sdk/internal`: parts that the program `phonerack` shares with the SDK. Not for other programs: they change without notice. */
export { parsed, readEnvelope, unexpectedAnswer } from './errors.js'
export { signalOf } from './transport.js'
export { fetchFailureOf, isUnsent, type FetchFailure } from './fetch-failure.js'
