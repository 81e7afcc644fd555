'use client';

import Link from 'next/link';
import { type ReactNode, useMemo } from 'react';
import { useQuestion } from '@/app/_ask/use-question';
import { CloseButton } from '@/app/_components/close-button';
import { CopyButton } from '@/app/_components/copy-button';
import { EmptyState } from '@/app/_components/empty-state';
import { FindingsSection } from '@/app/_components/findings/findings-section';
import { nackHref } from '@/app/_components/nack-href';
import { QueryContent } from '@/app/_components/query-content';
import { separator } from '@/app/_components/separator';
import { Skeleton } from '@/app/_components/skeleton';
import { StateMark, StatusMark } from '@/app/_components/status-mark';
import { TimeAgo } from '@/app/_components/time-ago';
import { RowWaits } from '@/app/_components/waiting-text';
import { formatCounted } from '@/lib/format/count';
import type { ResourceKey } from '@/lib/observation/resource-state';
import { describeRejection } from '@/lib/views/client/describe-rejection';
import { knownUntil } from '@/lib/views/client/known-until';
import type { ClientDetail } from '@/lib/views/client/schema';
import type { ClientFindings } from '@/lib/views/findings/schema';
import { type Bodies, buildBodies } from '@/lib/views/inspector/build-bodies';
import { buildCommands, type ShowCommand } from '@/lib/views/inspector/build-commands';
import type { ResourceLinks } from '@/lib/views/inspector/schema';
import type { ResourceRowJson } from '@/lib/views/resources/row-schema';
import type { Profile } from '@/lib/xds/profile';
import { findResourceType, formatResourceType, messageNameOf } from '@/lib/xds/resource-type';
import type { EpochMs } from '@/lib/xds/units';
import { checkHref } from '../check-href';
import type { Loaded } from '../loaded';
import { SegmentedChoice } from '../segmented-choice';
import type { BodyFormatTab } from './body-format';
import { BodySentence } from './body-sentence';
import { BodyText } from './body-text';
import { ResourceFacts } from './resource-facts';
import { ResourceLinksList } from './resource-links-list';

interface InspectorProps {
  readonly resource: ResourceKey;
  /** undefined: not held by the client. */
  readonly row: ResourceRowJson | undefined;
  readonly isLoading: boolean;
  readonly client: ClientDetail;
  /** The time of a stored view; null: live. */
  readonly snapshotAt: EpochMs | null;
  readonly links: Loaded<ResourceLinks>;
  readonly findings: Loaded<ClientFindings>;
  /** null: unknown. */
  readonly propagation: ReactNode;
  /** Content that only some types have: the health of endpoints as Envoy reports it, the certificates of a secret. */
  readonly ofType: ReactNode;
  readonly profile: Profile;
  readonly onProfileChange: (profile: Profile) => void;
  readonly view: BodyView;
  readonly onViewChange: (view: Partial<BodyView>) => void;
  readonly onOpen: (key: ResourceKey) => void;
  readonly onClose: () => void;
}

export function Inspector(props: InspectorProps) {
  const { resource, row, isLoading, client, snapshotAt, links, view, onViewChange, onOpen, onClose } = props;
  return (
    <section aria-label="Inspector" className="flex min-h-full flex-col gap-3 p-4">
      <header className="flex items-start gap-2">
        <div className="min-w-0 flex-1">
          <p className="flex flex-wrap items-center gap-x-2 note">
            <span title={messageNameOf(resource.typeUrl)}>
              {formatResourceType(resource.typeUrl)} {findResourceType(resource.typeUrl)?.noun ?? 'resource'}
            </span>
            {row !== undefined && <StateMark state={row.state} />}
          </p>
          <h2 className="flex items-start gap-1 font-semibold">
            <span className="min-w-0 font-mono text-medium break-all" translate="no">
              {resource.name === '' ? '(empty name)' : resource.name}
            </span>
            <CopyButton text={resource.name} label="Copy the name" />
          </h2>
        </div>
        {snapshotAt !== null && (
          // On a phone the inspector covers the banner.
          <p className="note md:hidden">
            stored, stored <TimeAgo at={snapshotAt} />
          </p>
        )}
        <CloseButton label="Close the inspector" onClose={onClose} />
      </header>
      {row !== undefined ? (
        <Held {...props} row={row} />
      ) : isLoading ? (
        <Skeleton waitsFor="the client's resources" />
      ) : (
        <EmptyState title="Not held by the client">
          The client does not report a resource with this name. Another resource refers to it, or the client
          held it earlier.
        </EmptyState>
      )}
      {row === undefined && !isLoading && <Links links={links} isBodyKnown={false} onOpen={onOpen} />}
      {row !== undefined && <HeldFindings {...props} row={row} />}
      {row !== undefined && <HeldBody row={row} client={client} view={view} onViewChange={onViewChange} />}
    </section>
  );
}

function Held({
  row,
  client,
  snapshotAt,
  links,
  propagation,
  ofType,
  onOpen,
}: InspectorProps & { readonly row: ResourceRowJson }) {
  return (
    <>
      <Rejection row={row} clientId={snapshotAt === null ? client.id : null} />
      <RowWaits row={row} until={knownUntil(client, snapshotAt)} />
      <ResourceFacts row={row} hasPropagation={propagation !== null} />
      {propagation}
      {ofType}
      <Links links={links} isBodyKnown={row.hash !== null} onOpen={onOpen} />
    </>
  );
}

function HeldFindings({
  row,
  findings,
  profile,
  onProfileChange,
  view,
  onViewChange,
}: InspectorProps & { readonly row: ResourceRowJson }) {
  return (
    <FindingsSection
      typeUrl={row.typeUrl}
      findings={findings}
      profile={profile}
      onProfileChange={onProfileChange}
      shown={view.field === '' ? null : { path: view.field, role: view.body }}
      onShow={({ path, role }) =>
        onViewChange({ field: path, body: role, ...(view.format === 'parts' ? { format: 'yaml' } : {}) })
      }
    />
  );
}

interface LinksProps extends Pick<InspectorProps, 'links' | 'onOpen'> {
  readonly isBodyKnown: boolean;
}

function Links({ links, isBodyKnown, onOpen }: LinksProps) {
  return (
    <QueryContent query={links} what="the references" rows={2}>
      {(data) => <ResourceLinksList links={data} isBodyKnown={isBodyKnown} onOpen={onOpen} />}
    </QueryContent>
  );
}

type HeldBodyProps = Pick<InspectorProps, 'client' | 'view' | 'onViewChange'> & {
  readonly row: ResourceRowJson;
};

function HeldBody({ row, client, view, onViewChange }: HeldBodyProps) {
  const report = client.reports.find(({ sourceId }) => sourceId === row.sourceId);
  const vantage = report?.vantage ?? 'csds';
  const bodies = useMemo(() => buildBodies(row, vantage), [row, vantage]);
  const commands = buildCommands({
    row,
    nodeId: client.nodeId,
    scope: client.scope,
    vantage,
    target: report?.target,
  });
  return (
    <>
      <BodyPanel row={row} bodies={bodies} view={view} onViewChange={onViewChange} />
      {row.hash !== null && (
        <Link
          href={checkHref(client.id, { hash: row.hash, typeUrl: row.typeUrl })}
          prefetch={false}
          className="self-start text-medium link-quiet"
        >
          Change it and check what it would do
        </Link>
      )}
      <ShowCommands commands={commands} />
    </>
  );
}

function ShowCommands({ commands }: { readonly commands: readonly ShowCommand[] }) {
  if (commands.length === 0) return null;
  return (
    <details className="group">
      <summary className="cursor-pointer rounded text-medium text-muted hover:text-text">
        Copy as command
      </summary>
      <ul className="mt-2 flex flex-col gap-3">
        {commands.map((command) => (
          <li key={command.command} className="rounded-md border border-line bg-sunken px-3 py-2">
            <div className="flex items-center gap-2">
              <span className="text-small font-medium">{command.tool}</span>
              <CopyButton
                text={command.command}
                label={`Copy the ${command.tool} command`}
                className="ml-auto"
              />
            </div>
            <code className="block text-small leading-relaxed break-all whitespace-pre-wrap">
              {command.command}
            </code>
            <p className="mt-1 note">{command.note}</p>
          </li>
        ))}
      </ul>
    </details>
  );
}

interface BodyView {
  readonly format: BodyFormatTab;
  /** Role of the chosen content; an unknown role selects the first one. */
  readonly body: string;
  /** Path of the marked field; empty: none. */
  readonly field: string;
}

interface BodyPanelProps {
  readonly row: ResourceRowJson;
  readonly bodies: Bodies;
  readonly view: BodyView;
  readonly onViewChange: (view: Partial<BodyView>) => void;
}

function BodyPanel({ row, bodies, view, onViewChange }: BodyPanelProps) {
  const choice = bodies.choices.find(({ role }) => role === view.body) ?? bodies.choices[0];
  if (choice === undefined) {
    return <EmptyState title="No content">{bodies.absence}</EmptyState>;
  }
  return (
    <section aria-label="Body" className="flex flex-col gap-2">
      {bodies.choices.length > 1 && (
        <div>
          <SegmentedChoice
            label="Content"
            value={choice.role}
            options={bodies.choices.map(({ role, label }) => ({ value: role, label }))}
            onChange={(body) => onViewChange({ body })}
          />
        </div>
      )}
      <BodySentence sentence={choice.sentence} isWarning={choice.isWarning} />
      <BodyText
        key={choice.hash}
        row={row}
        hash={choice.hash}
        format={view.format}
        field={view.field === '' ? null : view.field}
        onFormatChange={(format) => onViewChange({ format })}
      />
    </section>
  );
}

interface RejectionProps {
  readonly row: ResourceRowJson;
  /** null for a stored view, whose NACKs are of another time. */
  readonly clientId: string | null;
}

function Rejection({ row, clientId }: RejectionProps) {
  const error = row.errorState;
  const isNack = row.clientStatus === 'NACKED';
  const { data: nacks } = useQuestion(
    'nacks',
    { client: clientId ?? '', type: row.typeUrl, resource: row.name, state: 'open', limit: 50 },
    { enabled: isNack && clientId !== null, placeholderData: undefined },
  );
  const group = nacks?.items.find(({ name }) => name === row.name);
  if (error === null) return null;
  const reason = describeRejection(row);
  return (
    <section
      aria-label={isNack ? 'Why it was rejected' : 'What went wrong'}
      className="rounded-lg border border-nacked/40 bg-nacked/8"
    >
      <header className="flex flex-wrap items-center gap-x-2 gap-y-0.5 px-3 pt-2 text-small">
        <StatusMark status={row.clientStatus} className="font-medium" />
        <span className="text-muted">
          {isNack ? 'rejected ' : ''}
          {error.versionInfo === '' ? (
            isNack && 'an unreported version'
          ) : (
            <>
              version <span className="font-mono break-all text-text">{error.versionInfo}</span>
            </>
          )}
          {error.lastUpdateAttempt !== null && (
            <>
              {separator}
              <TimeAgo at={error.lastUpdateAttempt} />
            </>
          )}
        </span>
        {group !== undefined && (
          <Link
            href={nackHref(group.id)}
            className="link-quiet"
            title="All occurrences of this NACK, with payload and field"
          >
            {group.clients.total === 1
              ? 'The NACK and its payload'
              : `Rejected by ${formatCounted(group.clients.total, 'client')}`}
          </Link>
        )}
        {reason !== '' && <CopyButton text={reason} label="Copy the reason" className="ml-auto" />}
      </header>
      <p className="max-h-60 overflow-y-auto px-3 pt-1 pb-2.5 font-mono text-small leading-relaxed break-words whitespace-pre-wrap">
        {reason === '' ? 'No error message reported.' : reason}
      </p>
    </section>
  );
}
