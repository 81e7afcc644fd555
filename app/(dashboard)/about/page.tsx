import type { Metadata } from 'next';
import { Panel } from '@/app/_components/panel';
import { SettingsTabs } from '@/app/_components/settings-tabs';
import { PageBody } from '@/app/_components/shell/page-body';
import { PageHead } from '@/app/_components/shell/page-head';
import { TimeAgo } from '@/app/_components/time-ago';
import { getRuntime } from '@/server';

export const metadata: Metadata = { title: 'About - Settings' };
export const dynamic = 'force-dynamic';

const interfaces = [
  {
    href: '/api/v1/openapi.json',
    label: 'OpenAPI document',
    text: 'every question and command of the HTTP API',
  },
  { href: '/api/v1/health', label: 'Health', text: 'what does not work, and why' },
  { href: '/metrics', label: 'Metrics', text: 'for Prometheus' },
] as const;

export default async function Page() {
  const { version, startedAt } = await getRuntime().api.ask('health', {}, { params: {} });
  return (
    <PageBody>
      <PageHead title="About" vantage="this xdscope" />
      <SettingsTabs current="/about" />
      <Panel title={`xdscope ${version}`} vantage="flight recorder and x-ray for xDS">
        <p className="text-muted">
          Apache License 2.0. Started <TimeAgo at={startedAt} />.
        </p>
        <ul className="mt-3 flex flex-col gap-1.5">
          {interfaces.map(({ href, label, text }) => (
            <li key={href}>
              <a href={href} className="inline-flex min-h-6 items-center link">
                {label}
              </a>
              : {text}
            </li>
          ))}
        </ul>
      </Panel>
    </PageBody>
  );
}
