'use client';

import { defaultKeymap } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { MergeView as CodeMirrorMerge, unifiedMergeView } from '@codemirror/merge';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, highlightSpecialChars, keymap, lineNumbers } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { useNonce } from '../nonce';
import { codeTheme } from './code-theme';

interface MergeViewProps {
  readonly before: string;
  readonly after: string;
  readonly layout: 'unified' | 'split';
  /** The accessible name. */
  readonly label: string;
}

/** Limits the work per diff; larger diffs are coarser. */
const scanLimit = 2_000;
const timeoutMs = 1_500;
const diffConfig = { scanLimit, timeout: timeoutMs };
const collapseUnchanged = { margin: 3, minSize: 6 };

/** A read-only diff; equal parts are folded. */
export function MergeView({ before, after, layout, label }: MergeViewProps) {
  const holder = useRef<HTMLDivElement>(null);
  const nonce = useNonce();
  useEffect(() => {
    const parent = holder.current;
    if (parent === null) return;
    if (layout === 'split') {
      const view = new CodeMirrorMerge({
        parent,
        a: { doc: before, extensions: readOnly(`${label}, before`, nonce) },
        b: { doc: after, extensions: readOnly(`${label}, after`, nonce) },
        diffConfig,
        collapseUnchanged,
        gutter: true,
      });
      return () => view.destroy();
    }
    const merge = unifiedMergeView({
      original: before,
      mergeControls: false,
      collapseUnchanged,
      diffConfig,
      gutter: true,
    });
    const view = new EditorView({
      parent,
      state: EditorState.create({ doc: after, extensions: [...readOnly(label, nonce), merge] }),
    });
    return () => view.destroy();
  }, [before, after, layout, label, nonce]);
  return <div ref={holder} className="min-w-0 overflow-auto" translate="no" />;
}

function readOnly(label: string, nonce: string | undefined): Extension[] {
  return [
    EditorView.cspNonce.of(nonce ?? ''),
    EditorState.readOnly.of(true),
    EditorView.editable.of(false),
    EditorView.contentAttributes.of({ tabindex: '0', 'aria-label': label, 'aria-readonly': 'true' }),
    lineNumbers(),
    highlightSpecialChars(),
    keymap.of(defaultKeymap),
    yaml(),
    codeTheme,
    mergeTheme,
  ];
}

/** Plus and minus signs, so that colour is not the only sign. */
const mergeTheme = EditorView.theme({
  '&.cm-merge-b .cm-changedLine, .cm-inlineChangedLine': {
    backgroundColor: 'color-mix(in oklab, var(--status-acked) 12%, transparent)',
  },
  '&.cm-merge-a .cm-changedLine, .cm-deletedChunk': {
    backgroundColor: 'color-mix(in oklab, var(--status-nacked) 12%, transparent)',
  },
  '&.cm-merge-b .cm-changedText': {
    background: 'color-mix(in oklab, var(--status-acked) 30%, transparent)',
  },
  '&.cm-merge-a .cm-changedText, .cm-deletedChunk .cm-deletedText': {
    background: 'color-mix(in oklab, var(--status-nacked) 30%, transparent)',
  },
  '.cm-deletedChunk': { paddingLeft: '6px' },
  '.cm-deletedLine::before': { content: '"− "', color: 'var(--status-nacked)' },
  '.cm-collapsedLines': {
    background: 'var(--surface-sunken)',
    color: 'var(--text-muted)',
    padding: '2px 8px',
    // The usual mark is in few fonts.
    '&:before': { content: '"···"' },
    '&:after': { content: '"···"' },
  },
});
