/**
 * Effects of operator requests, for tests that do not need the request. The functions have the names of the functions
 * in `operator/`.
 */
import { newId } from '@phonerack/shared'
import { type AuditActor } from '../base/db/audit-log.js'
import * as devices from '../fleet/operator/devices.js'
import * as hosts from '../fleet/operator/hosts.js'
import * as keys from '../fleet/operator/keys.js'
import * as projects from '../fleet/operator/projects.js'
import { inAuditedTransaction, type Change, type Work } from '../base/audit/work.js'
import { type Core } from '../base/core/core.js'

const operator: AuditActor = {
  tokenId: newId('operatorToken'),
  tokenName: 'test',
  address: '127.0.0.1',
  requestId: newId('request'),
}

const doing = async <T>(core: Core, act: (work: Work) => Promise<Change<T>>): Promise<T> =>
  (await inAuditedTransaction(core, operator, act)).result

export const enrollDevice = (core: Core, ref: string, failPhone?: string) =>
  doing(core, (work) => devices.enrollDevice(work, ref, failPhone))
export const releaseHeldDevice = (core: Core, ref: string, keep: boolean) =>
  doing(core, (work) => devices.releaseHeldDevice(work, ref, keep))
export const createProject = (core: Core, input: Parameters<typeof projects.createProject>[1]) =>
  doing(core, (work) => projects.createProject(work, input))
export const changeProject = (core: Core, id: string, change: Parameters<typeof projects.changeProject>[2]) =>
  doing(core, (work) => projects.changeProject(work, id, change))
export const createKey = (core: Core, input: Parameters<typeof keys.createKey>[1]) =>
  doing(core, (work) => keys.createKey(work, input))
export const revokeKey = (core: Core, id: string) => doing(core, (work) => keys.revokeKey(work, id))
export const setPaused = (core: Core, paused: boolean) => doing(core, (work) => hosts.setPaused(work, paused))
