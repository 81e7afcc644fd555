/** Icons in a box of 16 x 16 with a stroke of 1.5. */
const paths = {
  copy: 'M5.5 5.5V3a.75.75 0 0 1 .75-.75h6.5a.75.75 0 0 1 .75.75v6.5a.75.75 0 0 1-.75.75H10.5M3.25 5.75h6.5a.75.75 0 0 1 .75.75V13a.75.75 0 0 1-.75.75h-6.5A.75.75 0 0 1 2.5 13V6.5a.75.75 0 0 1 .75-.75Z',
  check: 'M3 8.5l3.25 3.25L13 4.75',
  close: 'M4 4l8 8M12 4l-8 8',
  'chevron-down': 'M4 6l4 4 4-4',
  'chevron-up': 'M4 10l4-4 4 4',
  'chevron-left': 'M10 4L6 8l4 4',
  'chevron-right': 'M6 4l4 4-4 4',
  'arrow-right': 'M3 8h10M9.5 4.5L13 8l-3.5 3.5',
  sort: 'M5 6.25L8 3.25l3 3M5 9.75l3 3 3-3',
  search: 'M7 2.5a4.5 4.5 0 1 1 0 9a4.5 4.5 0 0 1 0-9ZM10.5 10.5l3 3',
  'zoom-in': 'M7 2.5a4.5 4.5 0 1 1 0 9a4.5 4.5 0 0 1 0-9ZM10.5 10.5l3 3M5 7h4M7 5v4',
  'zoom-out': 'M7 2.5a4.5 4.5 0 1 1 0 9a4.5 4.5 0 0 1 0-9ZM10.5 10.5l3 3M5 7h4',
  sun: 'M8 5a3 3 0 1 1 0 6a3 3 0 0 1 0-6ZM8 1v1M8 14v1M1 8h1M14 8h1M3.05 3.05l.7.7M12.25 12.25l.7.7M3.05 12.95l.7-.7M12.25 3.75l.7-.7',
  moon: 'M13.5 9.6A5.9 5.9 0 0 1 6.4 2.5a5.9 5.9 0 1 0 7.1 7.1Z',
  screen: 'M2 3h12v8H2ZM6 14h4M8 11v3',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  play: 'M5 3.25L12.5 8L5 12.75Z',
  trash: 'M2.75 4.25h10.5M6 4V2.5h4V4M4.25 4.5l.5 9h6.5l.5-9',
  plus: 'M8 3v10M3 8h10',
  refresh: 'M13.25 8A5.25 5.25 0 1 1 11.5 4.1M13.25 2v3h-3',
  share: 'M8 10V2M5 4.5L8 1.75L11 4.5M3 8v5.5h10V8',
  clock: 'M8 2a6 6 0 1 1 0 12a6 6 0 0 1 0-12ZM8 4.75V8l2.25 1.5',
  warning: 'M8 2L14.5 13.5H1.5ZM8 6.5v3.25M8 11.75v.01',
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name, sizePx = 14 }: { readonly name: IconName; readonly sizePx?: number }) {
  return (
    <svg
      viewBox="0 0 16 16"
      width={sizePx}
      height={sizePx}
      fill="none"
      stroke="currentColor"
      strokeWidth={1.5}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      className="shrink-0"
    >
      <path d={paths[name]} />
    </svg>
  );
}
