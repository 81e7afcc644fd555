import { Icon } from './icon';

interface CloseButtonProps {
  /** As in "Close the inspector". */
  readonly label: string;
  readonly onClose: () => void;
}

export function CloseButton({ label, onClose }: CloseButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title="Close (Escape)"
      onClick={onClose}
      className="inline-flex size-8 shrink-0 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-text"
    >
      <Icon name="close" />
    </button>
  );
}
