module example.com/shop

go 1.26.0

require (
	github.com/jarcoal/httpmock v1.4.2
	github.com/weft-flow/weft v0.0.0
)

replace github.com/weft-flow/weft => ../../..
