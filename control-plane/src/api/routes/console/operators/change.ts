/** A change by an operator, with its audit entry in the name of the user. */
import { type FastifyRequest } from 'fastify'
import { type Core } from '../../../../base/core/core.js'
import { type Change, type Work } from '../../../../base/audit/work.js'
import { asUser } from '../../../../people/users/work.js'
import { actorOf } from '../gate.js'

/** @param action the name in the audit log, as for `/operator/v1` */
export const changeFor = <T>(
  core: Core,
  request: FastifyRequest,
  action: string,
  act: (work: Work) => Promise<Change<T>>,
): Promise<T> => asUser(core, actorOf(request), action, act)
