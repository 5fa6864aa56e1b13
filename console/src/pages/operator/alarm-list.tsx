/** The list of alarms above the hosts. Renders nothing while no alarm is active. */
import { Link } from '@tanstack/react-router'
import { TriangleAlert } from 'lucide-react'
import { Name } from '../../ui/name'
import { Card } from '../../ui/page'
import { type Alarm } from './alarms'

export const AlarmList = ({ alarms }: { alarms: readonly Alarm[] }) =>
  alarms.length === 0 ? null : (
    <Card className="grid grid-cols-1 gap-3 border-warn/40 p-4 sm:p-5">
      <h2 className="flex items-center gap-2 font-semibold">
        <TriangleAlert className="size-4 text-warn" aria-hidden />
        Needs attention
      </h2>
      <ul aria-label="Alarms" className="grid grid-cols-1 max-h-60 gap-1 overflow-y-auto" tabIndex={0}>
        {alarms.map(({ id, name, text, page }) => (
          <li key={id} className="break-words">
            <Link to={page} className="rounded underline underline-offset-2">
              <Name>{name}</Name>
            </Link>
            {text.startsWith(':') ? text : ` ${text}`}
          </li>
        ))}
      </ul>
    </Card>
  )
