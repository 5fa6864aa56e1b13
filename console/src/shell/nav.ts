/** The pages of a project and of operators, for the sidebar and the palette. */
import {
  Boxes,
  CalendarClock,
  ChartColumn,
  CreditCard,
  Gauge,
  History,
  KeyRound,
  Library,
  ScrollText,
  Server,
  Smartphone,
  TabletSmartphone,
  Users,
  Webhook,
} from 'lucide-react'

export const projectPages = [
  { to: '/projects/$project/phones', name: 'Phones', icon: Smartphone },
  { to: '/projects/$project/keys', name: 'API keys', icon: KeyRound },
  { to: '/projects/$project/activity', name: 'Activity', icon: ScrollText },
  { to: '/projects/$project/events', name: 'Events', icon: CalendarClock },
  { to: '/projects/$project/webhooks', name: 'Webhooks', icon: Webhook },
  { to: '/projects/$project/usage', name: 'Usage', icon: ChartColumn },
  { to: '/projects/$project/credit', name: 'Credit', icon: CreditCard },
  { to: '/projects/$project/members', name: 'Members', icon: Users },
] as const

export const operatorPages = [
  { to: '/operator/hosts', name: 'Hosts', icon: Server },
  { to: '/operator/devices', name: 'Devices', icon: TabletSmartphone },
  { to: '/operator/projects', name: 'All projects', icon: Boxes },
  { to: '/operator/library', name: 'App library', icon: Library },
  { to: '/operator/audit', name: 'Audit log', icon: History },
  { to: '/operator/system', name: 'System', icon: Gauge },
] as const
