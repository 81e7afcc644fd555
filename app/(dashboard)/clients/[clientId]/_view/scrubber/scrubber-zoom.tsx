'use client';

import { Icon, type IconName } from '@/app/_components/icon';

interface ScrubberZoomProps {
  readonly onZoomIn: () => void;
  /** null: everything is shown. */
  readonly onZoomOut: (() => void) | null;
}

export function ScrubberZoom({ onZoomIn, onZoomOut }: ScrubberZoomProps) {
  return (
    <fieldset
      aria-label="Zoom the time axis"
      className="inline-flex h-7 divide-x divide-line overflow-hidden rounded-md border border-line"
    >
      <ZoomButton icon="zoom-in" label="Zoom in" shortcut="+" onPress={onZoomIn} />
      <ZoomButton icon="zoom-out" label="Zoom out" shortcut="-" onPress={onZoomOut} />
    </fieldset>
  );
}

interface ZoomButtonProps {
  readonly icon: IconName;
  readonly label: string;
  /** The key on the focused axis. */
  readonly shortcut: string;
  readonly onPress: (() => void) | null;
}

function ZoomButton({ icon, label, shortcut, onPress }: ZoomButtonProps) {
  return (
    <button
      type="button"
      aria-label={`${label} on the time axis`}
      title={`${label} on the time axis (${shortcut} on the axis)`}
      disabled={onPress === null}
      onClick={onPress ?? undefined}
      className="grid size-7 place-items-center text-muted hover:bg-hover hover:text-text disabled:opacity-40"
    >
      <Icon name={icon} />
    </button>
  );
}
