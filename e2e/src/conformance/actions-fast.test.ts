/** Chapter "Run actions" of the specification through `/v1`, on a phone that offers the fast way. */
import { describe, inject } from 'vitest'
import { actionsOn } from './actions-both-ways.js'

describe('actions on a phone that offers the fast way', () => {
  actionsOn(inject('system'), true)
})
