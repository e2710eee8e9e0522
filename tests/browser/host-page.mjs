// A page that has an embedded view in it.

/** Its HTML. `window.tell(message)` sends the view a message; `window.messages` are those that it sent. */
export function hostPage(embed) {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A course</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,"></head>
<body style="margin: 8px"><h1>A course</h1><div style="height: 300px">Text</div>
<iframe src="${embed.replaceAll('&', '&amp;')}" title="Fusescape" width="100%" height="700" style="border: 0"></iframe>
<div style="height: 2000px">More text</div>
<script>
window.messages = [];
const frame = document.querySelector('iframe');
addEventListener('message', ({ data, source }) => source === frame.contentWindow && messages.push(data));
window.tell = (message) => frame.contentWindow.postMessage(message, '*');
</script></body></html>`;
}
