/** Actions of the palette on the phone that is shown. */
import { useQuery } from '@tanstack/react-query'
import { Copy, Hand, Pause, Play } from 'lucide-react'
import { type ReactNode } from 'react'
import { call } from '../api/client'
import { usePhoneChange } from '../pages/phone/change'
import { useTakeOver } from '../pages/phone/use-control'
import { canPark, canStart } from '../pages/phone/status'

interface Props {
  project: string
  phone: string
  item: (name: string, icon: ReactNode, run: () => void) => ReactNode
}

export function PhoneCommands({ project, phone: id, item }: Props) {
  const { data: phone } = useQuery({
    queryKey: ['phone', project, id],
    queryFn: () => call('GET /projects/:project/phones/:phone', { project, phone: id }),
  })
  const change = usePhoneChange(project, id)
  const take = useTakeOver(project, id)
  if (!phone) return null
  return (
    <>
      {phone.status === 'ready' && item('Take over', <Hand aria-hidden />, () => take.mutate())}
      {canStart(phone) && item('Start the phone', <Play aria-hidden />, () => change.mutate('start'))}
      {canPark(phone) && item('Park the phone', <Pause aria-hidden />, () => change.mutate('park'))}
      {item('Copy the ID of the phone', <Copy aria-hidden />, () => void navigator.clipboard.writeText(id))}
    </>
  )
}
