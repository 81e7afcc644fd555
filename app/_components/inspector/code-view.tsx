'use client';

import { defaultKeymap } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { yaml } from '@codemirror/lang-yaml';
import { codeFolding, foldGutter, foldKeymap } from '@codemirror/language';
import { highlightSelectionMatches, openSearchPanel, search, searchKeymap } from '@codemirror/search';
import { EditorState, StateEffect, StateField } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { type Ref, useEffect, useImperativeHandle, useRef } from 'react';
import { useNonce } from '../nonce';
import { codeTheme } from './code-theme';
import type { TextRange } from './find-field-range';

export interface CodeViewHandle {
  openSearch(): void;
}

interface CodeViewProps {
  readonly text: string;
  readonly language: 'yaml' | 'json';
  /** The accessible name. */
  readonly label: string;
  /** The range that is marked and scrolled to. */
  readonly mark?: TextRange | null;
  readonly ref?: Ref<CodeViewHandle>;
}

/**
 * Read-only text with virtualised lines. Control and bidirectional characters are shown as symbols, so that
 * hostile text cannot reorder what is read.
 */
export function CodeView({ text, language, label, mark = null, ref }: CodeViewProps) {
  const holder = useRef<HTMLDivElement>(null);
  const nonce = useNonce();
  const editor = useRef<EditorView | null>(null);

  useImperativeHandle(ref, () => ({
    openSearch() {
      if (editor.current === null) return;
      openSearchPanel(editor.current);
    },
  }));

  useEffect(() => {
    if (holder.current === null) return;
    const view = new EditorView({
      parent: holder.current,
      state: EditorState.create({ doc: text, extensions: extensions(language, label, nonce) }),
    });
    editor.current = view;
    return () => {
      editor.current = null;
      view.destroy();
    };
  }, [text, language, label, nonce]);

  useEffect(() => {
    // A new editor has no marks, so the effect also depends on the text.
    if (editor.current !== null && text !== '') markRange(editor.current, mark);
  }, [mark, text]);

  return <div ref={holder} className="h-full min-h-0 min-w-0 overflow-hidden" translate="no" />;
}

function extensions(language: CodeViewProps['language'], label: string, nonce: string | undefined) {
  return [
    EditorView.cspNonce.of(nonce ?? ''),
    EditorState.readOnly.of(true),
    // Focusable for keyboard and selection, but without an on-screen keyboard.
    EditorView.editable.of(false),
    EditorView.contentAttributes.of({ tabindex: '0', 'aria-label': label, 'aria-readonly': 'true' }),
    lineNumbers(),
    codeFolding(),
    foldGutter(),
    codeMark,
    highlightSpecialChars(),
    drawSelection(),
    search({ top: true }),
    highlightSelectionMatches(),
    keymap.of([...searchKeymap, ...foldKeymap, ...defaultKeymap]),
    language === 'yaml' ? yaml() : json(),
    codeTheme,
  ];
}

/** A finding about a long list would mark everything. */
const maxLines = 40;

const setMark = StateEffect.define<TextRange | null>();
const line = Decoration.line({ class: 'cm-marked-line' });

const codeMark = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    for (const effect of transaction.effects) {
      if (!effect.is(setMark)) continue;
      if (effect.value === null) return Decoration.none;
      const { doc } = transaction.state;
      const first = doc.lineAt(Math.min(effect.value.from, doc.length)).number;
      const last = doc.lineAt(Math.min(Math.max(effect.value.from, effect.value.to - 1), doc.length)).number;
      const count = Math.min(last - first + 1, maxLines);
      return Decoration.set(
        Array.from({ length: count }, (_, index) => line.range(doc.line(first + index).from)),
      );
    }
    return marks;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** Context around a mark, in pixels. */
const marginPx = 96;

/** Marks the range and scrolls to it as little as possible; null removes the mark. */
function markRange(view: EditorView, range: TextRange | null): void {
  const effects: StateEffect<unknown>[] = [setMark.of(range)];
  if (range !== null) {
    const from = Math.min(range.from, view.state.doc.length);
    effects.push(EditorView.scrollIntoView(from, { y: 'nearest', yMargin: marginPx }));
  }
  view.dispatch({ effects });
}
