// Runs before the first paint, so that no page flashes in the other theme. app/_hooks/use-theme.ts writes the choice.
try {
  const theme = localStorage.getItem('xdscope-theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Storage may be forbidden: the system's preference decides.
}
