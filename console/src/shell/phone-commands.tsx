/** Actions of the palette on the phone that is shown. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Copy, Hand, Pause, Play } from 'lucide-react'
import { type ReactNode } from 'react'
import { toast } from 'sonner'
import { messageOf } from '../api/client'
import { getPhone, takeOver } from '../api/phones'
import { parkPhone, startPhone } from '../api/projects'
import { usePhoneChange } from '../pages/phone/change'
import { canPark, canStart } from '../pages/phone/status'

interface Props {
  project: string
  phone: string
  item: (name: string, icon: ReactNode, run: () => void) => ReactNode
}

export function PhoneCommands({ project, phone: id, item }: Props) {
  const queries = useQueryClient()
  const { data: phone } = useQuery({ queryKey: ['phone', project, id], queryFn: () => getPhone(project, id) })
  const change = usePhoneChange(project, id)
  const take = useMutation({
    mutationFn: () => takeOver(project, id),
    onError: (error) => void toast.error(messageOf(error)),
    onSettled: () => queries.invalidateQueries({ queryKey: ['control', project, id] }),
  })
  if (!phone) return null
  return (
    <>
      {phone.status === 'ready' && item('Take over', <Hand aria-hidden />, () => take.mutate())}
      {canStart(phone) && item('Start the phone', <Play aria-hidden />, () => change.mutate(startPhone))}
      {canPark(phone) && item('Park the phone', <Pause aria-hidden />, () => change.mutate(parkPhone))}
      {item('Copy the ID of the phone', <Copy aria-hidden />, () => void navigator.clipboard.writeText(id))}
    </>
  )
}
