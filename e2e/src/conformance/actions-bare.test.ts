/** Chapter "Run actions" of the specification through `/v1`, on a phone that has only what every phone has. */
import { describe, inject } from 'vitest'
import { actionsOn } from './actions-both-ways.js'

describe('actions on a phone that has only what every phone has', () => {
  actionsOn(inject('bare'), false)
})
