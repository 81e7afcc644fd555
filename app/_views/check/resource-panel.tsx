'use client';

import { useQuery } from '@tanstack/react-query';
import { EmptyState } from '@/app/_components/empty-state';
import { FindingItem } from '@/app/_components/findings/finding-item';
import { findFieldRange } from '@/app/_components/inspector/find-field-range';
import { TextView } from '@/app/_components/inspector/text-view';
import { Panel } from '@/app/_components/panel';
import { formatCount, formatCounted } from '@/lib/format/count';
import { formatName } from '@/lib/format/names/format-name';
import { isTrouble } from '@/lib/validate/reactions';
import type { Check, CheckedResource } from '@/lib/views/check/schema';
import { newestOf, type Profile } from '@/lib/xds/profile';

type Finding = CheckedResource['findings'][number];

interface ResourcePanelProps {
  readonly check: Check;
  /** The path of the marked field; empty: that of the first finding. */
  readonly field: string;
  readonly onField: (path: string) => void;
}

/** The findings of one resource beside its text, with the field marked. */
export function ResourcePanel({ check, field, onField }: ResourcePanelProps) {
  const { resources, shown, columns } = check;
  const resource = resources.find(({ index }) => index === (shown?.index ?? 0));
  const isOfFleet = ({ reactions, otherwise }: Finding): boolean =>
    columns.some(({ profile }) => reactions[profile] !== 'accept' || otherwise?.[profile] !== undefined);
  const own = resource?.findings.filter(isOfFleet) ?? [];
  const marked = field || (own[0]?.fieldPath ?? '');
  const text = shown?.text ?? '';
  const { data: mark = null } = useQuery({
    queryKey: ['check-field', text, marked],
    queryFn: async () => (await findFieldRange(text, marked)) ?? null,
    enabled: marked !== '' && text !== '',
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  });
  if (resource === undefined) return null;
  const { service, name, typeUrl, findings, findingsTotal, asked, unchecked = [] } = resource;
  const profile = severestProfile(check, resource);
  const others = findings.filter((finding) => !own.includes(finding));
  const list = (items: readonly Finding[]) => (
    <ul className="flex flex-col gap-2 text-medium">
      {items.map((finding) => (
        <FindingItem
          key={`${finding.ruleId} ${finding.message}`}
          finding={finding}
          profile={profile}
          isShown={finding.fieldPath === marked}
          onShow={() => onField(finding.fieldPath)}
        />
      ))}
    </ul>
  );
  return (
    <Panel
      title={`${service} ${formatName(name, typeUrl) || '(empty name)'}`}
      vantage="the selected resource"
    >
      <div className="grid gap-4 lg:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-2">
          <p className="note">
            {own.length > 0
              ? `${formatCounted(own.length, 'finding')}.`
              : `No rule ${others.length > 0 ? 'of the clients above ' : ''}is violated.`}
          </p>
          {asked !== undefined && asked.text !== '' && (
            <p className="rounded-md bg-nacked/8 px-2 py-1 font-mono text-small break-words whitespace-pre-wrap">
              <span className="font-sans text-muted">
                {asked.answer === 'NACK' ? 'Envoy: ' : 'Envoy was not asked or did not answer: '}
              </span>
              {asked.text}
            </p>
          )}
          {list(own)}
          {others.length > 0 && (
            <details>
              <summary className="note">
                {formatCounted(others.length, 'finding')} about other clients
              </summary>
              {list(others)}
            </details>
          )}
          {findingsTotal > findings.length && (
            <p className="note">{formatCount(findingsTotal - findings.length)} more are not listed.</p>
          )}
          {unchecked.length > 0 && (
            <details className="note">
              <summary>
                {formatCounted(unchecked.length, 'part')} not checked for Envoy or other clients
              </summary>
              <ul className="font-mono break-words">
                {unchecked.map(({ message }) => (
                  <li key={message}>{message}</li>
                ))}
              </ul>
            </details>
          )}
        </div>
        <div className="h-96 min-w-0 overflow-auto card">
          {text === '' ? (
            <EmptyState title="The text is not shown">It is larger than 1 MiB.</EmptyState>
          ) : (
            <TextView text={text} language="yaml" label={`Content of ${name}`} mark={mark} />
          )}
        </div>
      </div>
    </Panel>
  );
}

/** The first profile of the fleet that would reject the resource determines what is marked as severe. */
function severestProfile({ columns }: Check, { cells }: CheckedResource): Profile {
  const at = cells.findIndex(
    (cell, index) => !columns[index]?.isHint && cell !== 'NOT_REQUESTED' && isTrouble(cell),
  );
  return columns[Math.max(0, at)]?.profile ?? newestOf('envoy');
}
