/** All hosts with the phones in their ports, refreshed while the page is visible. */
import { useQuery } from '@tanstack/react-query'
import { Plus, Server } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/client'
import { Button } from '../../ui/button'
import { Card, Empty, Page } from '../../ui/page'
import { AlarmList } from './alarm-list'
import { alarmsOf } from './alarms'
import { HostCard } from './host-card'
import { Join } from './join'
import { Listed } from './listed'

/** Milliseconds between two reads of the list. */
const refreshMs = 3000

export function Hosts() {
  const [isJoining, setIsJoining] = useState(false)
  const list = useQuery({
    queryKey: ['operator', 'hosts'],
    queryFn: () => call('GET /operator/hosts', {}),
    refetchInterval: refreshMs,
  })
  const devices = useQuery({
    queryKey: ['operator', 'devices'],
    queryFn: () => call('GET /operator/devices', {}),
    refetchInterval: refreshMs,
  })
  const system = useQuery({
    queryKey: ['operator', 'system'],
    queryFn: () => call('GET /operator/system', {}),
    refetchInterval: refreshMs,
  })
  const alarms = alarmsOf(list.data?.data ?? [], devices.data?.data ?? [], system.data ?? null, new Date())
  const icon = <Server className="size-5" />
  return (
    <Page
      title="Hosts"
      description="Machines with phones. The list is live."
      actions={
        <Button look="primary" onClick={() => setIsJoining(true)}>
          <Plus aria-hidden /> Add host
        </Button>
      }
    >
      <AlarmList alarms={alarms} />
      <Listed query={list}>
        {({ data }) =>
          data.length === 0 ? (
            <Card>
              <Empty icon={icon} title="No hosts yet">
                <p>Add a machine with phones: you get the command that connects it.</p>
              </Empty>
            </Card>
          ) : (
            <ul aria-label="Hosts" className="grid grid-cols-1 min-w-0 gap-5">
              {data.map((host) => (
                <HostCard key={host.id} host={host} />
              ))}
            </ul>
          )
        }
      </Listed>
      <Join isOpen={isJoining} onOpenChange={setIsJoining} />
    </Page>
  )
}
