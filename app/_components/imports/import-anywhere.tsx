'use client';

import dynamic from 'next/dynamic';
import { usePathname } from 'next/navigation';
import { useEffect, useRef, useState } from 'react';
import { useItems } from '@/app/_ask/use-question';
import { type DroppedFiles, droppedFiles } from './dropped-files';
import { useImportQueue } from './import-queue';
import { importRunId } from './import-run-id';

const ImportTray = dynamic(() => import('./import-tray').then(({ ImportTray }) => ImportTray));

/** Imports files that are dropped anywhere, and documents that are pasted outside of text fields. */
export function ImportAnywhere() {
  const { give, reportUnsent, forgetUnsent } = useImportQueue();
  const acts = useRef({ give, reportUnsent });
  acts.current = { give, reportUnsent };
  const [isOver, setOver] = useState(false);
  const isCheck = usePathname() === '/check';
  const { data: imports } = useItems('imports', {});
  const newest = useRef(imports);
  newest.current = imports;
  /** The imports that existed before the first file of this page; null: no file was given. */
  const [before, setBefore] = useState<ReadonlySet<string> | null>(null);

  useEffect(() => {
    const take = ({ files, left }: DroppedFiles): void => {
      if (files.length === 0 && left.length === 0) return;
      setBefore((known) => known ?? new Set((newest.current ?? []).map(importRunId)));
      acts.current.give(files);
      for (const { name, reason } of left) acts.current.reportUnsent(name, reason);
    };
    // Nested elements send dragenter and dragleave as well.
    let depth = 0;
    const enter = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      depth += 1;
      setOver(true);
    };
    const leave = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      depth = Math.max(0, depth - 1);
      if (depth === 0) setOver(false);
    };
    const over = (event: DragEvent): void => {
      if (hasFiles(event)) event.preventDefault();
    };
    const drop = (event: DragEvent): void => {
      depth = 0;
      setOver(false);
      // A drop zone of the page has handled the event.
      if (event.defaultPrevented || !hasFiles(event)) return;
      event.preventDefault();
      if (event.dataTransfer !== null) void droppedFiles(event.dataTransfer).then(take);
    };
    const paste = (event: ClipboardEvent): void => {
      if (event.defaultPrevented || isEditable(event.target)) return;
      const files = filesOf(event.clipboardData);
      if (files.length > 0) event.preventDefault();
      take({ files, left: [] });
    };
    window.addEventListener('dragenter', enter);
    window.addEventListener('dragleave', leave);
    window.addEventListener('dragover', over);
    window.addEventListener('drop', drop);
    window.addEventListener('paste', paste);
    return () => {
      window.removeEventListener('dragenter', enter);
      window.removeEventListener('dragleave', leave);
      window.removeEventListener('dragover', over);
      window.removeEventListener('drop', drop);
      window.removeEventListener('paste', paste);
    };
  }, []);

  return (
    <>
      {isOver && (
        <div className="pointer-events-none fixed inset-0 z-50 flex items-center justify-center border-4 border-dashed border-accent bg-page/80">
          <p className="card px-5 py-3 text-[1.0714rem] font-medium">
            {isCheck
              ? 'Drop to check: resources, config dumps, folders'
              : 'Drop to import: config dumps, CSDS responses, xDS resources, bootstraps, recordings'}
          </p>
        </div>
      )}
      {before !== null && (
        <ImportTray
          before={before}
          onClose={() => {
            setBefore(null);
            forgetUnsent();
          }}
        />
      )}
    </>
  );
}

function hasFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes('Files') === true;
}

/** Shorter pasted text is not imported. */
const fewestChars = 20;

/** Dropped or pasted files; pasted text becomes a file. */
function filesOf(data: DataTransfer | null): File[] {
  if (data === null) return [];
  const files = [...data.files];
  if (files.length > 0) return files;
  const text = data.getData('text/plain');
  return looksLikeDocument(text) ? [new File([text], nameOf(text))] : [];
}

/** True for JSON and for YAML of several lines. */
function looksLikeDocument(text: string): boolean {
  if (text.length < fewestChars) return false;
  return (
    /^\s*[{[]/.test(text) || /^\s*(?:#.*\n|---\s*\n)*\s*(?:- )?["']?[\w@.-]+["']?\s*[:{].*(?:\n|$)/.test(text)
  );
}

function nameOf(text: string): string {
  return /^\s*[{[]/.test(text) ? 'pasted.json' : 'pasted.yaml';
}

function isEditable(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return (
    target.isContentEditable || target.closest('input, textarea, select, [contenteditable="true"]') !== null
  );
}
