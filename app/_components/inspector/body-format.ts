/** How a body is shown: as text in two notations, or what of it is no text. */
export const bodyFormats = ['yaml', 'json', 'parts'] as const;
export type BodyFormatTab = (typeof bodyFormats)[number];

export const contentRetentionHint = 'Content is deleted when its retention ends.';
