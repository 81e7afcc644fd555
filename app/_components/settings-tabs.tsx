import { LinkTabs } from './link-tabs';

const tabs = [
  {
    href: '/sources',
    label: 'Sources',
    description: 'The control planes, clients and proxies that xdscope connects to, and their state.',
  },
  {
    href: '/sources/recorder',
    label: 'Recorder',
    description: 'The log: its size, growth, retention and gaps, and recordings that are served again.',
  },
  {
    href: '/sources/imports',
    label: 'Imports',
    description: 'Imported recordings and config dumps, and protobuf types that were added.',
  },
  {
    href: '/lab',
    label: 'Lab',
    description: 'A demo mesh of real xDS clients on this machine, with faults to inject.',
  },
  { href: '/about', label: 'About', description: 'Version, API and metrics of this xdscope.' },
] as const;

export function SettingsTabs({ current }: { readonly current: (typeof tabs)[number]['href'] }) {
  return (
    <LinkTabs label="Settings" tabs={tabs.map((tab) => ({ ...tab, isCurrent: tab.href === current }))} />
  );
}
