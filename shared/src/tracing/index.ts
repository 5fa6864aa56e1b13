/** Traces of both programs by OpenTelemetry, off by default. */
export * from './spans.js'
export * from './start.js'
