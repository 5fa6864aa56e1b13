/**
 * `/operator/v1/setups`: an operator approves a terminal that requests its first key; for `ctl
 * setup`.
 */
import { type FastifyPluginAsync } from 'fastify'
import { approvedTerminalAnswer, terminalAnswer } from './answers.js'
import { operatorApi } from './api.js'
import { type Core } from '../../../base/core/core.js'
import { approvalSchema, approveSetup, codeSchema, denySetup } from '../../../people/setup/decision.js'

/** @param baseUrl the public address that links lead to */
export const setupOperatorPlugin =
  (core: Core, baseUrl: string): FastifyPluginAsync =>
  (app) => {
    const api = operatorApi(app, core)
    api.write(
      {
        method: 'POST',
        url: '/setups/approve',
        action: 'setup.approve',
        answer: approvedTerminalAnswer,
        status: 201,
        body: approvalSchema,
      },
      (work, { body }) => approveSetup(work, body, baseUrl),
    )
    api.write(
      { method: 'POST', url: '/setups/deny', action: 'setup.deny', answer: terminalAnswer, body: codeSchema },
      (work, { body }) => denySetup(work, body.user_code),
    )
    return Promise.resolve()
  }
