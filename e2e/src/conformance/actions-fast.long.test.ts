/** Batches that are cut off, of the chapter "Run actions", on a phone that offers the fast way. */
import { describe, inject } from 'vitest'
import { cutActionsOn } from './actions-cut.js'

describe('actions on a phone that offers the fast way', () => {
  cutActionsOn(inject('system'), true)
})
