'use client';

import { type RefObject, useCallback, useEffect, useRef } from 'react';
import { bodyQuestion } from '@/app/_ask/body-question';
import { useQuestion } from '@/app/_ask/use-question';
import { Button } from '@/app/_components/button';
import { CopyButton } from '@/app/_components/copy-button';
import { QueryContent } from '@/app/_components/query-content';
import type { ResourceRowJson } from '@/lib/api/schema';
import { saveFile } from '../save-file';
import { SegmentedChoice } from '../segmented-choice';
import { type BodyFormatTab, contentRetentionHint } from './body-format';
import { BodyParts, countParts } from './body-parts';
import { BodyProtobuf } from './body-protobuf';
import type { CodeViewHandle } from './code-view';
import { TextView } from './text-view';
import { useBodyField } from './use-body-field';

interface BodyTextProps {
  /** Used in the accessible name and in file names. */
  readonly row: Pick<ResourceRowJson, 'name' | 'service'>;
  readonly hash: string;
  readonly format: BodyFormatTab;
  readonly onFormatChange: (format: BodyFormatTab) => void;
  /** Path of the marked field; null: none. */
  readonly field: string | null;
}

export function BodyText({ row, hash, format, onFormatChange, field }: BodyTextProps) {
  const notation = format === 'json' ? 'json' : 'yaml';
  const query = useQuestion('resources/{hash}', bodyQuestion(hash, notation));
  const box = useRef<HTMLElement>(null);
  const code = useRef<CodeViewHandle>(null);
  const openSearch = useCallback(() => {
    code.current?.openSearch();
    return code.current !== null;
  }, []);
  useFindKey(box, openSearch);
  const body = query.data;
  const mark = useBodyField(hash, notation, field);
  const parts = body === undefined ? 0 : countParts(body);
  const notationWord = notation.toUpperCase();

  return (
    <section
      ref={box}
      aria-label="Text"
      className="flex h-[max(20rem,calc(100dvh-26rem))] flex-col overflow-hidden card"
    >
      <div className="flex flex-wrap items-center gap-1.5 border-b border-line px-2 py-1.5">
        <SegmentedChoice
          label="Format"
          value={format}
          options={[
            { value: 'yaml', label: 'YAML' },
            { value: 'json', label: 'JSON' },
            { value: 'parts', label: parts === 0 ? 'Parts' : `Parts ${parts}` },
          ]}
          onChange={onFormatChange}
        />
        {body !== undefined && format !== 'parts' && (
          <div className="ml-auto flex items-center">
            <Button tone="quiet" icon="search" label="Search in the content" onPress={openSearch}>
              Find
            </Button>
            <CopyButton text={body.text} label={`Copy the content as ${notationWord}`} />
            <Button
              tone="quiet"
              label={`Download the content as ${notationWord}`}
              onPress={() =>
                saveFile(new Blob([body.text], { type: 'text/plain;charset=utf-8' }), fileName(row, notation))
              }
            >
              Download
            </Button>
          </div>
        )}
      </div>
      <div className="min-h-0 flex-1 overflow-auto">
        <QueryContent query={query} what="the content" rows={8} hint={contentRetentionHint}>
          {(loaded) =>
            format === 'parts' ? (
              <BodyParts body={loaded} />
            ) : (
              <TextView
                ref={code}
                text={loaded.text}
                language={notation}
                label={`Payload of ${row.name}`}
                mark={mark}
              />
            )
          }
        </QueryContent>
      </div>
      <footer className="flex flex-wrap items-center gap-x-3 border-t border-line px-3 py-1 note">
        <span className="inline-flex items-center gap-1" title="SHA-256 of the stored protobuf bytes">
          SHA-256 <span className="font-mono">{hash.slice(0, 12)}</span>
          <CopyButton text={hash} label="Copy the hash" />
        </span>
        {body !== undefined && (
          <BodyProtobuf hash={hash} sizeBytes={body.sizeBytes} fileName={fileName(row, 'binpb')} />
        )}
      </footer>
    </section>
  );
}

/** External names must not contain a folder or extension, or be too long. */
function fileName(row: BodyTextProps['row'], extension: 'yaml' | 'json' | 'binpb'): string {
  const name = row.name.replace(/[^\w.-]+/g, '_').slice(0, 80);
  return `${row.service.toLowerCase() || 'resource'}-${name === '' ? 'unnamed' : name}.${extension}`;
}

/** Ctrl-F or Cmd-F inside the element searches its content; outside, the browser searches the page. */
function useFindKey(element: RefObject<HTMLElement | null>, find: () => boolean): void {
  useEffect(() => {
    const target = element.current;
    if (target === null) return;
    function onKeyDown(event: KeyboardEvent) {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 'f') return;
      if (find()) event.preventDefault();
    }
    target.addEventListener('keydown', onKeyDown);
    return () => target.removeEventListener('keydown', onKeyDown);
  }, [element, find]);
}
