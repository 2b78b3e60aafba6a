/** Labels of the Secrets that answer a download request inline. */
export const inlineLabels = {
  request: "jibe.io/download-request",
  part: "jibe.io/download-part",
} as const;
