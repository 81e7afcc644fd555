import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

/** Colours are CSS variables, so that one theme serves light and dark. */
const surface = EditorView.theme({
  '&': {
    height: '100%',
    color: 'var(--text)',
    backgroundColor: 'var(--surface-raised)',
    fontSize: '0.8571rem',
  },
  '&.cm-focused': { outline: '2px solid var(--focus)', outlineOffset: '-2px' },
  '.cm-scroller': {
    fontFamily: 'var(--font-mono)',
    fontVariantLigatures: 'none',
    fontFeatureSettings: '"zero"',
    lineHeight: '1.55',
  },
  '.cm-content': { caretColor: 'transparent', padding: '6px 0' },
  '.cm-gutters': {
    backgroundColor: 'var(--surface-raised)',
    color: 'var(--text-muted)',
    border: 'none',
    borderRight: '1px solid var(--border)',
  },
  '.cm-lineNumbers .cm-gutterElement': { padding: '0 4px 0 10px', minWidth: '2.2em' },
  '.cm-foldGutter .cm-gutterElement': { cursor: 'pointer', padding: '0 4px' },
  '.cm-foldPlaceholder': {
    backgroundColor: 'var(--surface-hover)',
    border: '1px solid var(--border)',
    color: 'var(--text-muted)',
    padding: '0 5px',
  },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    backgroundColor: 'color-mix(in oklab, var(--accent) 26%, transparent)',
  },
  '.cm-searchMatch': {
    backgroundColor: 'color-mix(in oklab, var(--status-timeout) 26%, transparent)',
    outline: '1px solid color-mix(in oklab, var(--status-timeout) 60%, transparent)',
  },
  '.cm-searchMatch.cm-searchMatch-selected': {
    backgroundColor: 'color-mix(in oklab, var(--status-timeout) 55%, transparent)',
  },
  '.cm-selectionMatch': { backgroundColor: 'color-mix(in oklab, var(--accent) 14%, transparent)' },
  '.cm-marked-line': {
    backgroundColor: 'color-mix(in oklab, var(--status-nacked) 14%, transparent)',
    boxShadow: 'inset 3px 0 0 var(--status-nacked)',
  },
  '.cm-specialChar': { color: 'var(--status-nacked)' },
  '.cm-panels': {
    backgroundColor: 'var(--surface-sunken)',
    color: 'var(--text)',
    fontFamily: 'var(--font-sans)',
    zIndex: '1',
  },
  '.cm-panels.cm-panels-top': { borderBottom: '1px solid var(--border)' },
  '.cm-panel.cm-search': { padding: '6px 28px 6px 8px', fontSize: '0.8571rem' },
  '.cm-panel.cm-search [name=close]': {
    top: '6px',
    right: '8px',
    fontSize: '1.1rem',
    color: 'var(--text-muted)',
  },
  '.cm-panel.cm-search label': { display: 'inline-flex', alignItems: 'center', fontSize: '0.8571rem' },
  '.cm-textfield': {
    backgroundColor: 'var(--surface-raised)',
    border: '1px solid var(--border-strong)',
    borderRadius: '4px',
    padding: '3px 6px',
    fontSize: '0.8571rem',
  },
  '.cm-button': {
    backgroundColor: 'var(--surface-raised)',
    backgroundImage: 'none',
    border: '1px solid var(--border-strong)',
    borderRadius: '4px',
    padding: '2px 8px',
    fontSize: '0.8571rem',
  },
});

const highlight = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--type-listener)' },
  { tag: [tags.string, tags.content, tags.attributeValue], color: 'var(--text)' },
  { tag: [tags.number], color: 'var(--type-cluster)' },
  { tag: [tags.bool, tags.null, tags.keyword, tags.atom], color: 'var(--type-route)' },
  { tag: [tags.comment, tags.meta], color: 'var(--text-muted)' },
  { tag: [tags.punctuation, tags.separator, tags.squareBracket, tags.brace], color: 'var(--text-muted)' },
]);

export const codeTheme = [surface, syntaxHighlighting(highlight)];
