/** Phones that wait for a person, or that a person has taken over: for the sidebar, the lists, and notifications. */
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { call } from '../api/client'
import { type Handoff } from '../api/types'
import { undirected } from '../direction'
import { useProject } from './project'

/** Milliseconds between two reads. Changes in the shown project cause further reads. */
const refreshMs = 5000

export function useHandoffs() {
  const project = useProject()?.id ?? null
  return useQuery({
    queryKey: ['handoffs', project],
    queryFn: () => call('GET /handoffs', { project }),
    refetchInterval: refreshMs,
    // Hidden tabs need the data for their title and for notifications.
    refetchIntervalInBackground: true,
    select: ({ data }) => data,
  })
}

/** The number of agents that wait for a person. */
export const waitingIn = (handoffs: readonly Handoff[]): number =>
  handoffs.filter(({ status }) => status === 'open').length

export type Need = Handoff['status']

/** By the ID of the phone. */
export const needsOf = (handoffs: readonly Handoff[] | undefined): ReadonlyMap<string, Need> =>
  new Map(handoffs?.map(({ phone, status }) => [phone.id, status]))

/**
 * Sorts phones whose agents wait for a person first, then phones that a person has taken over. The others keep their
 * order.
 */
export function sortByNeed<T extends { id: string }>(
  phones: readonly T[],
  needs: ReadonlyMap<string, Need>,
): T[] {
  const rank = ({ id }: T): number => {
    const need = needs.get(id)
    return need === 'open' ? 0 : need === 'taken' ? 1 : 2
  }
  return phones.toSorted((one, other) => rank(one) - rank(other))
}

/**
 * The requests that the last list did not contain. @param known the IDs of the last list; null: this is the first list
 */
export const newRequests = (
  handoffs: readonly Handoff[],
  known: ReadonlySet<string> | null,
): readonly Handoff[] =>
  known === null ? [] : handoffs.filter(({ id, status }) => status === 'open' && !known.has(id))

/** Notifies a person who does not see the page, where the browser allows it. */
export function useNotifications(handoffs: readonly Handoff[] | undefined): void {
  const navigate = useNavigate()
  const known = useRef<ReadonlySet<string> | null>(null)
  useEffect(() => {
    if (!handoffs) return
    const found = newRequests(handoffs, known.current)
    known.current = new Set(handoffs.map(({ id }) => id))
    if (!('Notification' in window) || Notification.permission !== 'granted' || document.hasFocus()) return
    for (const { id, phone, message, project_id: project } of found) {
      const shown = new Notification(`${undirected(phone.name)}: an agent asks for help`, {
        // With a tag, several tabs of the console show one notification.
        tag: id,
        ...(message === null ? {} : { body: undirected(message) }),
      })
      shown.onclick = () => {
        window.focus()
        void navigate({ to: '/projects/$project/phones/$phone', params: { project, phone: phone.id } })
        shown.close()
      }
    }
  }, [handoffs, navigate])
}
