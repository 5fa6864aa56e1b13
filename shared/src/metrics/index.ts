/** Metrics of both programs: their listener, and the bounds of labels. */
export * from './labels.js'
export * from './listen.js'
export * from './listener.js'
