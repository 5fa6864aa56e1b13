/** Names for the JSON of the operator API. */
import type { Answer, Body } from '../generated/routes.js'

export type Activity = Answer<'GET /activity'>['data'][number]
export type AuditEntry = Answer<'GET /audit'>['data'][number]
export type Device = Answer<'GET /devices/:ref'>
export type Host = Answer<'PATCH /hosts/:ref'>
export type HostChange = Body<'PATCH /hosts/:ref'>
export type HostRotation = NonNullable<Host['authority_rotation']>
export type LibraryApp = Answer<'POST /library/apps'>
export type NewKey = Body<'POST /keys'>
export type NextStep = NonNullable<Device['next_step']>
export type OperatorInvitation = Answer<'GET /invitations'>['data'][number]
export type OperatorPhone = Answer<'GET /phones/:id'>
export type OperatorToken = Answer<'GET /operator-tokens'>['data'][number]
export type Project = Answer<'GET /projects/:id'>
export type ProjectChange = Body<'PATCH /projects/:id'>
export type Restored = Answer<'POST /service/restored'>
export type RetiredHost = Answer<'POST /hosts/:ref/retire'>
export type UnmatchedPayment = Answer<'GET /payments/unmatched'>['data'][number]
