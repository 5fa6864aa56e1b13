/** Reads who controls the phone, and whether this user's take-over ended without a hand-back. */
import { skipToken, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { toast } from 'sonner'
import { call, messageOf } from '../../api/client'
import { type Control } from '../../api/types'

/** Milliseconds between two reads. */
const refreshMs = 2000

export interface PhoneControl {
  /** Undefined: not yet read. */
  control: Control | null | undefined
  /** The user's take-over ended although they did not hand the phone back. */
  isLost: boolean
  /** The user handed the phone back. */
  setHandedBack: () => void
}

/** Records that the user took the phone over, or, with null, handed it back. */
function useSetControl(project: string, phone: string): (control: Control | null) => void {
  const queries = useQueryClient()
  return (control) => {
    const ofPhone = { queryKey: ['control', project, phone] }
    // A read that began before the change would overwrite it.
    void queries.cancelQueries(ofPhone)
    queries.setQueryData(heldKey(project, phone), control?.id ?? null)
    queries.setQueriesData(ofPhone, { control })
  }
}

/** The query key of the ID of the user's own take-over. The page and the palette both set the ID. */
const heldKey = (project: string, phone: string) => ['held control', project, phone]

export function useTakeOver(project: string, phone: string) {
  const setControl = useSetControl(project, phone)
  return useMutation({
    mutationFn: () => call('POST /projects/:project/phones/:phone/control', { project, phone }),
    onSuccess: ({ control }) => setControl(control),
    onError: (error) => void toast.error(messageOf(error)),
  })
}

/** @param session the ID of the phone's open session, with which a take-over ends; null: the phone has none */
export function useControl(project: string, phone: string, session: string | null): PhoneControl {
  const setControl = useSetControl(project, phone)
  const { data } = useQuery({
    queryKey: ['control', project, phone, session],
    queryFn: () => call('GET /projects/:project/phones/:phone/control', { project, phone }),
    refetchInterval: refreshMs,
    enabled: session !== null,
  })
  const { data: held = null } = useQuery<string | null>({
    queryKey: heldKey(project, phone),
    queryFn: skipToken,
    gcTime: Infinity,
  })
  const [isLost, setIsLost] = useState(false)
  const control = session === null ? null : data?.control
  const queries = useQueryClient()
  useEffect(() => {
    const setHeld = (id: string | null): unknown => queries.setQueryData(heldKey(project, phone), id)
    if (control?.status === 'taken' && control.is_you) {
      setHeld(control.id)
      setIsLost(false)
    } else if (held !== null && control !== undefined && control?.id !== held) {
      setHeld(null)
      setIsLost(true)
    } else if (held !== null) setIsLost(false)
  }, [queries, project, phone, control, held])
  return {
    // An agent's request does not name the member who accepted it.
    control: control && { ...control, is_you: control.is_you || control.id === held },
    isLost,
    setHandedBack() {
      setIsLost(false)
      setControl(null)
    },
  }
}
