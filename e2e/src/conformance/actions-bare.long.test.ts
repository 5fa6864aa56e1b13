/**
 * Chapter "Run actions" of the specification through `/v1`, on a phone with only the features that every
 * phone has.
 */
import { describe, inject } from 'vitest'
import { actionsOn } from './actions-both-ways.js'
import { cutActionsOn } from './actions-cut.js'

describe('actions on a phone with only the features of every phone', () => {
  actionsOn(inject('bare'), false)
})

describe('cut actions on a phone with only the features of every phone', () => {
  cutActionsOn(inject('bare'), false)
})
