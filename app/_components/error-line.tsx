interface ErrorLineProps {
  readonly error: Error | null;
  readonly className?: string;
}

export function ErrorLine({ error, className = '' }: ErrorLineProps) {
  if (error === null) return null;
  return (
    <p role="alert" className={`text-small break-words text-nacked ${className}`}>
      {error.message}
    </p>
  );
}
