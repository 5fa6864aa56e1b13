/** Reads who controls the phone, and whether the take-over of this user ended without them. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { getControl, type Control } from '../../api/phones'

/** Milliseconds between two reads. */
const refreshMs = 2000

export interface PhoneControl {
  /** Undefined: not read yet. */
  control: Control | null | undefined
  /** The user's take-over ended although they did not hand the phone back. */
  isLost: boolean
  /** The user took the phone over, or, with null, handed it back. */
  set: (control: Control | null) => void
}

/** @param session the ID of the phone's open session; null: there is none, with which a take-over ends */
export function useControl(project: string, phone: string, session: string | null): PhoneControl {
  const queries = useQueryClient()
  const queryKey = ['control', project, phone, session]
  const { data } = useQuery({
    queryKey,
    queryFn: () => getControl(project, phone),
    refetchInterval: refreshMs,
    enabled: session !== null,
  })
  /** The ID of the user's take-over. */
  const [held, setHeld] = useState<string | null>(null)
  const [isLost, setIsLost] = useState(false)
  const control = session === null ? null : data?.control
  useEffect(() => {
    if (control?.status === 'taken' && control.is_you) {
      setHeld(control.id)
      setIsLost(false)
    } else if (held !== null && control !== undefined && control?.id !== held) {
      setHeld(null)
      setIsLost(true)
    }
  }, [control, held])
  return {
    // An agent's request does not name the member who accepted it.
    control: control && { ...control, is_you: control.is_you || control.id === held },
    isLost,
    set(now) {
      setHeld(now?.id ?? null)
      setIsLost(false)
      queries.setQueryData(queryKey, { control: now })
    },
  }
}
