'use client';

import dynamic from 'next/dynamic';
import { useCallback, useRef } from 'react';
import { Button } from '@/app/_components/button';
import { CopyButton } from '@/app/_components/copy-button';
import { EmptyState } from '@/app/_components/empty-state';
import { ErrorState } from '@/app/_components/error-state';
import { Icon } from '@/app/_components/icon';
import { Skeleton } from '@/app/_components/skeleton';
import { useResourceBody } from '@/app/_hooks/queries';
import type { ResourceBody, ResourceRow } from '@/lib/api/schema';
import type { Bodies, BodyChoice } from '@/lib/view-model/inspector/build-bodies';
import { BodyParts } from './body-parts';
import type { CodeViewHandle } from './code-view';
import { downloadText } from './download-text';
import { SegmentedChoice } from './segmented-choice';
import { useFindKey } from './use-find-key';

// The editor is the heaviest thing on the page: it comes when the first body is opened.
const CodeView = dynamic(() => import('./code-view').then((module) => module.CodeView), {
  ssr: false,
  loading: () => <Skeleton waitsFor="the text view" rows={8} />,
});

export const bodyFormats = ['yaml', 'json', 'parts'] as const;
export type BodyTab = (typeof bodyFormats)[number];

export interface BodyView {
  readonly format: BodyTab;
  /** Role of the chosen body; another text means the first one. */
  readonly body: string;
}

interface BodyPanelProps {
  readonly row: ResourceRow;
  readonly bodies: Bodies;
  readonly view: BodyView;
  readonly onViewChange: (view: Partial<BodyView>) => void;
}

/** The text of one resource, and the honest word on which text that is. */
export function BodyPanel({ row, bodies, view, onViewChange }: BodyPanelProps) {
  const choice = bodies.choices.find(({ role }) => role === view.body) ?? bodies.choices[0];
  if (choice === undefined) {
    return <EmptyState title="Nothing to read">{bodies.absence}</EmptyState>;
  }
  return (
    <section aria-label="Body" className="flex min-h-0 flex-1 flex-col gap-2">
      {bodies.choices.length > 1 && (
        <SegmentedChoice
          label="Which body"
          value={choice.role}
          options={bodies.choices.map(({ role, label }) => ({ value: role, label }))}
          onChange={(body) => onViewChange({ body })}
        />
      )}
      <p
        className={`flex items-start gap-1.5 text-[0.8571rem] break-words ${choice.isWarning ? 'text-timeout' : 'text-muted'}`}
      >
        {choice.isWarning && (
          <span className="mt-0.5">
            <Icon name="warning" sizePx={12} />
          </span>
        )}
        <span className="min-w-0">{choice.sentence}</span>
      </p>
      <BodyText key={choice.hash} row={row} choice={choice} view={view} onViewChange={onViewChange} />
    </section>
  );
}

interface BodyTextProps extends Omit<BodyPanelProps, 'bodies'> {
  readonly choice: BodyChoice;
}

function BodyText({ row, choice, view, onViewChange }: BodyTextProps) {
  const format = view.format === 'json' ? 'json' : 'yaml';
  const query = useResourceBody(choice.hash, format);
  const code = useRef<CodeViewHandle>(null);
  const body = query.data;
  const parts = body === undefined ? 0 : body.opaque.length + body.redacted.length;

  const box = useRef<HTMLElement>(null);
  const openSearch = useCallback(() => {
    code.current?.openSearch();
    return code.current !== null;
  }, []);
  useFindKey(box, openSearch);

  return (
    <section
      ref={box}
      aria-label="Text"
      className="flex h-[max(20rem,calc(100dvh-28rem))] flex-col overflow-hidden rounded-lg border border-line bg-raised"
    >
      <div className="flex flex-wrap items-center gap-1.5 border-b border-line px-2 py-1.5">
        <SegmentedChoice
          label="Format"
          value={view.format}
          options={[
            { value: 'yaml', label: 'YAML' },
            { value: 'json', label: 'JSON' },
            { value: 'parts', label: parts === 0 ? 'Parts' : `Parts ${parts}` },
          ]}
          onChange={(next) => onViewChange({ format: next })}
        />
        {body !== undefined && view.format !== 'parts' && (
          <div className="ml-auto flex items-center">
            <Button tone="quiet" icon="search" label="Search in the body" onPress={openSearch}>
              Find
            </Button>
            <CopyButton text={body.text} label={`Copy the body as ${format.toUpperCase()}`} />
            <Button
              tone="quiet"
              label={`Download the body as ${format.toUpperCase()}`}
              onPress={() => downloadText(fileName(row, format), body.text)}
            >
              Download
            </Button>
          </div>
        )}
      </div>
      <div className="min-h-0 flex-1 overflow-auto">
        {query.isError ? (
          <ErrorState
            title="The body could not be read"
            error={query.error}
            hint="Old bodies go when their retention ends."
            onRetry={() => void query.refetch()}
          />
        ) : body === undefined ? (
          <Skeleton waitsFor="the body" rows={8} />
        ) : view.format === 'parts' ? (
          <BodyParts body={body} />
        ) : (
          <CodeView ref={code} text={body.text} language={format} label={labelOf(row, body)} />
        )}
      </div>
    </section>
  );
}

function labelOf(row: ResourceRow, body: ResourceBody): string {
  return `Body of ${row.name}, ${body.sizeBytes} bytes`;
}

/** Names from outside must not choose a folder, an extension or a length. */
function fileName(row: ResourceRow, format: 'yaml' | 'json'): string {
  const name = row.name.replace(/[^\w.-]+/g, '_').slice(0, 80);
  return `${row.service.toLowerCase() || 'resource'}-${name === '' ? 'unnamed' : name}.${format}`;
}
