/** All devices with their state and their last wipe, refreshed while the page is visible. */
import { useQuery } from '@tanstack/react-query'
import { TabletSmartphone } from 'lucide-react'
import { call } from '../../api/client'
import { Card, Empty, Page } from '../../ui/page'
import { DeviceRow } from './device-row'
import { Listed } from './listed'
import { urgentFirst } from './texts'

/** Milliseconds between two reads of the list. */
const refreshMs = 3000

export function Devices() {
  const list = useQuery({
    queryKey: ['operator', 'devices'],
    queryFn: () => call('GET /operator/devices', {}),
    refetchInterval: refreshMs,
  })
  const icon = <TabletSmartphone className="size-5" />
  return (
    <Page
      title="Devices"
      description="Phones at all hosts. A phone can be rented once it is enrolled. Enrolling erases it."
    >
      <Listed query={list}>
        {({ data }) => (
          <Card>
            {data.length === 0 ? (
              <Empty icon={icon} title="No devices yet">
                <p>Connect a phone to a host. It is listed here within seconds.</p>
              </Empty>
            ) : (
              <ul aria-label="Devices" className="divide-y divide-border">
                {[...data].sort(urgentFirst).map((device) => (
                  <DeviceRow key={device.id} device={device} />
                ))}
              </ul>
            )}
          </Card>
        )}
      </Listed>
    </Page>
  )
}
