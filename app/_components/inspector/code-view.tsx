'use client';

import { defaultKeymap } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { yaml } from '@codemirror/lang-yaml';
import {
  codeFolding,
  foldAll,
  foldable,
  foldEffect,
  foldGutter,
  foldKeymap,
  forceParsing,
} from '@codemirror/language';
import { highlightSelectionMatches, openSearchPanel, search, searchKeymap } from '@codemirror/search';
import { EditorState, StateEffect, StateField } from '@codemirror/state';
import type { DecorationSet } from '@codemirror/view';
import {
  Decoration,
  drawSelection,
  EditorView,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { type Ref, useEffect, useImperativeHandle, useRef } from 'react';
import { maxMarkedLines, type Notation } from '@/lib/views/inspector/text-lines';
import { useNonce } from '../nonce';
import { codeTheme } from './code-theme';
import type { TextRange } from './find-field-range';

export interface CodeViewHandle {
  openSearch(): void;
}

/** The event for which the editor replaces the plain lines. */
export interface EditorStart {
  /** The first line in sight, from 1. */
  readonly topLine: number;
  readonly act:
    | { readonly kind: 'search' }
    | { readonly kind: 'fold'; readonly line: number }
    | { readonly kind: 'key'; readonly event: KeyboardEvent };
}

interface CodeViewProps {
  readonly text: string;
  readonly language: Notation;
  /** The accessible name. */
  readonly label: string;
  /** The range that is marked and scrolled to. */
  readonly mark: TextRange | null;
  /** The state with which the first text is opened; null: it is opened like any other. */
  readonly start: EditorStart | null;
  readonly ref?: Ref<CodeViewHandle>;
}

/**
 * Read-only text with virtualised lines. Control and bidirectional characters are shown as symbols, so that
 * hostile text cannot reorder what is read.
 */
export function CodeView({ text, language, label, mark, start, ref }: CodeViewProps) {
  const holder = useRef<HTMLDivElement>(null);
  const nonce = useNonce();
  const editor = useRef<EditorView | null>(null);
  const pending = useRef(start);

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
    if (editor.current === null || text === '') return;
    markRange(editor.current, mark, pending.current === null);
    if (pending.current !== null) begin(editor.current, pending.current);
    pending.current = null;
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
    keymap.of([...searchKeymap, { key: 'Ctrl-Alt-[', run: foldWhole }, ...foldKeymap, ...defaultKeymap]),
    language === 'yaml' ? yaml() : json(),
    codeTheme,
  ];
}

/** Shows the lines that were in sight, and does what the editor was opened for. */
function begin(view: EditorView, { topLine, act }: EditorStart): void {
  const { doc } = view.state;
  const top = doc.line(Math.min(topLine, doc.lines)).from;
  view.dispatch({ effects: EditorView.scrollIntoView(top, { y: 'start', yMargin: 0 }) });
  switch (act.kind) {
    case 'search':
      openSearchPanel(view);
      return;
    case 'fold': {
      const { from, to } = doc.line(act.line);
      forceParsing(view, doc.length, parseMs);
      const range = foldable(view.state, from, to);
      if (range !== null) view.dispatch({ effects: foldEffect.of(range) });
      return;
    }
    case 'key':
      view.focus();
      view.contentDOM.dispatchEvent(new KeyboardEvent(act.event.type, act.event));
  }
}

const parseMs = 200;
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
      const count = Math.min(last - first + 1, maxMarkedLines);
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

/** Marks the range, and scrolls to it as little as possible; null removes the mark. */
function markRange(view: EditorView, range: TextRange | null, isShown: boolean): void {
  const effects: StateEffect<unknown>[] = [setMark.of(range)];
  if (range !== null && isShown) {
    const from = Math.min(range.from, view.state.doc.length);
    effects.push(EditorView.scrollIntoView(from, { y: 'nearest', yMargin: marginPx }));
  }
  view.dispatch({ effects });
}

const stepMs = 40;

/** The limit of the time for parsing. Parts that are not parsed by then are not folded. */
const mostMs = 20_000;

/** Folds the whole text. The editor parses little more than what is in sight, so the rest is parsed first, in steps. */
function foldWhole(view: EditorView): true {
  const endsAt = performance.now() + mostMs;
  const next = () => {
    if (!view.dom.isConnected) return;
    const isParsed = forceParsing(view, view.state.doc.length, stepMs);
    if (isParsed || performance.now() > endsAt) foldAll(view);
    else setTimeout(next);
  };
  next();
  return true;
}
